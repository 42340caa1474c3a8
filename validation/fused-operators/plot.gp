# gnuplot -e "dir='results'" plot.gp: the paper's Figures 8 to 14, from figureNN.csv.
set datafile separator ','
set style fill solid 0.85 border -1
set grid ytics lc rgb '#cccccc'
set key off
set terminal svg size 640,340 font 'Helvetica,12' background rgb 'white'
set boxwidth 0.7
set yrange [0:*]
set ylabel 'normalized time'
set xtics rotate by -40 left font ',9'
titles = "'Figure 8: embedding + all-to-all in a node (paper: fused 0.80 in the mean, 0.68 at best)' 'Figure 9: GEMV + all-reduce (paper: 0.87, 0.78)' 'Figure 10: GEMM + all-to-all (paper: 0.88, 0.80)' 'Figure 12: embedding + all-to-all between nodes (paper: 0.69, 0.42)' 'Figure 13: occupancy, % (paper: 25 to 75 %: -46 %, to 87.5 %: +25 %)' 'Figure 14: order of slices (paper: skew of 7 and 1 %)'"
do for [i=1:6] {
  file = sprintf('%s/figure%s.csv', dir, word('08 09 10 12 13 14', i))
  if (system(sprintf('test -e %s && echo there', file)) eq 'there') {
    set output sprintf('%s/figure%s.svg', dir, word('08 09 10 12 13 14', i))
    set title word(titles, i)
    plot file every ::1 using 0:7:xtic(strcol(1).' '.strcol(2)) with boxes lc rgb '#0072b2', 1 lc rgb '#888888'
  }
}
if (system(sprintf('test -e %s/figure11.csv && echo there', dir)) eq 'there') {
  file = sprintf('%s/figure11.csv', dir)
  set output sprintf('%s/figure11.svg', dir)
  set terminal svg size 760,420 font 'Helvetica,12' background rgb 'white'
  set title 'Figure 11: clusters of 16 workgroups of GPU 0, slices put and own slices pooled'
  set xlabel 'us'
  set ylabel 'cluster'
  set yrange [-1:*]
  set xtics norotate auto
  set grid xtics lc rgb '#cccccc'
  set key outside bottom center horizontal
  plot file every ::1 using ($1 == 0 && strcol(3) eq 'put' ? $4 : NaN):2 with points pt 7 ps 0.4 lc rgb '#0072b2' title 'put begins', \
       file every ::1 using ($1 == 0 && strcol(3) eq 'own' ? $4 : NaN):2 with points pt 6 ps 0.5 lc rgb '#d55e00' title 'own slice pooled'
}
