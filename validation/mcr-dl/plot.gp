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
set xtics rotate by -35 left font ',10'
set xrange [-0.5:9.5]
plot dir.'/findings.csv' every ::1 using 0:4:5:6:xtic(1) with yerrorbars pt 7 lc rgb '#0072b2' title 'ours', \
     '' every ::1 using 0:3 with points pt 2 ps 1.4 lc rgb '#d55e00' title 'published'
