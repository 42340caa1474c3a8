# gnuplot -e "dir='results'" plot.gp: throughput and scaling efficiency as Figures 8 to 10 of MCR-DL show them, and the published gains beside ours.
set datafile separator ','
set grid ytics lc rgb '#cccccc'
set terminal svg size 900,360 font 'Helvetica,12' background rgb 'white'
pick(figure, policy, framework) = sprintf("< awk -F, '$2==\"%s\" && $3==\"%s\"' %s/figure%d.csv", policy, framework, dir, figure)
do for [f=8:10] {
  one = f == 10 ? 'sccl' : 'nccl'
  name = f == 8 ? 'DS-MoE on Lassen' : f == 9 ? 'DLRM on ThetaGPU' : 'dense 6.7B on ThetaGPU'
  set output sprintf('%s/figure%d.svg', dir, f)
  set multiplot layout 1,2 title sprintf('Figure %d: %s', f, name)
  set logscale x 2
  set key top left
  set xlabel 'GPUs'
  set ylabel 'throughput'
  plot pick(f, 'mpi-gdr', 'PyTorch') using 1:5 with linespoints title 'MVAPICH2-GDR', \
       pick(f, one, 'PyTorch') using 1:5 with linespoints title one, \
       pick(f, 'by operation', 'MCR-DL') using 1:5 with linespoints title 'by operation', \
       pick(f, 'by size', 'MCR-DL') using 1:5 with linespoints title 'by size'
  set key bottom left
  set ylabel 'scaling efficiency, %'
  plot pick(f, 'mpi-gdr', 'PyTorch') using 1:6 with linespoints title 'MVAPICH2-GDR', \
       pick(f, one, 'PyTorch') using 1:6 with linespoints title one, \
       pick(f, 'by operation', 'MCR-DL') using 1:6 with linespoints title 'by operation', \
       pick(f, 'by size', 'MCR-DL') using 1:6 with linespoints title 'by size'
  unset multiplot
}
unset logscale x
set output dir.'/findings.svg'
set title 'Published (crosses), ours (points) and the band of the committed ranges'
set xlabel ''
set ylabel '%, points'
set key top right
set xtics rotate by -35 left font ',10' noenhanced
set xrange [-0.5:9.5]
plot dir.'/findings.csv' every ::1 using 0:4:5:6:xtic(1) with yerrorbars pt 7 lc rgb '#0072b2' title 'ours', \
     '' every ::1 using 0:3 with points pt 2 ps 1.4 lc rgb '#d55e00' title 'published'
unset xrange
unset yrange
unset title
set xtics norotate autofreq font ',12' enhanced

set output dir.'/figure2.svg'
set multiplot layout 1,2 title 'Figure 2: 64 V100 on Lassen'
set logscale xy
set format x '10^{%T}'
set key top left
set xlabel 'bytes of the array'
of(operation) = sprintf("< awk -F, '$1==\"%s\"' %s/figure2.csv", operation, dir)
do for [operation in 'all-reduce all-to-all'] {
  set ylabel operation.', us'
  plot of(operation) using 2:4 with linespoints title 'MVAPICH2-GDR', '' using 2:5 with linespoints title 'NCCL', \
       '' using 2:6 with linespoints title 'SCCL'
}
unset multiplot
set output dir.'/figure7.svg'
set title 'Figure 7: all-to-all of MVAPICH2-GDR on 32 A100'
set xlabel 'bytes of a message'
set ylabel 'overhead, %'
unset logscale y
set format y '%g'
set yrange [0:20]
set key top right
plot dir.'/figure7.csv' every ::1 using 1:5 with linespoints title 'MCR-DL', '' every ::1 using 1:6 with linespoints title 'PyTorch'
unset logscale
set xtics center font ',10'
set format x '% h'
set style data histograms
set style fill solid 0.8
set boxwidth 0.8
set xlabel ''
set yrange [0:*]
set output dir.'/figure11.svg'
set title 'Figure 11: DS-MoE on 256 V100'
set ylabel 'throughput, of mpi4py'
plot dir.'/figure11.csv' every ::1 using 5:xtic(1) lc rgb '#0072b2' notitle
set style histogram rowstacked
set key outside right
set output dir.'/figure12.svg'
set title 'Figure 12: what a step is made of, 256 V100 (DS-MoE) and 32 A100 (DLRM)'
set ylabel '% of a step'
set yrange [0:100]
plot dir.'/figure12.csv' every ::1 using 5:xtic(strcol(1)." ".strcol(3)) lc rgb '#0072b2' title 'computation', \
     '' every ::1 using 6 lc rgb '#d55e00' title 'communication'
