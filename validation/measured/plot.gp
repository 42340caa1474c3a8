# scatter.svg and curves.svg into the folder `results`, run in the repository's root:
#   gnuplot -e "results='validation/measured/results'" plot.gp       analytic estimates, from results/cases.csv
#   gnuplot -e "results='validation/measured/simulated'" plot.gp     the machine, from the cases.csv of each folder there
simulated = results[strlen(results)-8:] eq 'simulated'
cases = simulated ? '<cat '.results.'/*/cases.csv' : results.'/cases.csv'
collectives = results.(simulated ? '/collectives' : '').'/cases.csv'
ours = simulated ? 'simulated' : 'estimated (analytic models)'
lines = simulated ? 'lines simulated' : 'lines estimated'
set datafile separator ','
set terminal svg size 1000,760 noenhanced font 'sans,13' background '#ffffff'
set logscale xy
set grid lc rgb '#dddddd'
set key left top

of(kind, column) = strcol(1) eq kind ? column : NaN
set style line 1 lc rgb '#1f77b4' pt 7 ps 0.5
set style line 2 lc rgb '#aec7e8' pt 7 ps 0.5
set style line 3 lc rgb '#2ca02c' pt 7 ps 0.5
set style line 4 lc rgb '#d62728' pt 7 ps 0.5
set style line 5 lc rgb '#9467bd' pt 7 ps 0.6
set style line 6 lc rgb '#8c564b' pt 7 ps 0.6
set style line 7 lc rgb '#ff7f0e' pt 7 ps 0.6
set style line 8 lc rgb '#17becf' pt 7 ps 0.6
set style line 9 lc rgb '#bcbd22' pt 7 ps 0.6
set style line 10 lc rgb '#e377c2' pt 7 ps 0.6
set style line 11 lc rgb '#7f7f7f' pt 7 ps 0.6

set output results.'/scatter.svg'
set multiplot layout 1,2
set title 'time, us'
set xlabel 'measured'
set ylabel ours
set xrange [10:20000]
set yrange [10:20000]
times = 'ring_collectives_large ring_collectives_small all_to_all gemm_time sequential two_streams fused_store'.\
  (simulated ? ' ag_gemm copies_large copies_small copies_2d' : '')
plot x lc rgb '#444444' lw 1 notitle, 1.1*x lc rgb '#bbbbbb' dt 2 title '10 % off', x/1.1 lc rgb '#bbbbbb' dt 2 notitle, \
  for [i=1:words(times)] cases skip 1 using (of(word(times,i), $4)):5 with points ls i title word(times,i)
set title 'traffic of a GEMM, MB'
set xrange [5:20000]
set yrange [5:20000]
traffic = 'gemm_l2_read gemm_dram_read'
plot x lc rgb '#444444' lw 1 notitle, 1.1*x lc rgb '#bbbbbb' dt 2 title '10 % off', x/1.1 lc rgb '#bbbbbb' dt 2 notitle, \
  for [i=1:2] cases skip 1 using (of(word(traffic,i), $4)):5 with points ls 7+i title word(traffic,i)
unset multiplot

set output results.'/curves.svg'
set terminal svg size 1000,900 noenhanced font 'sans,13' background '#ffffff'
set multiplot layout 2,2
set xrange [4e5:4e8]
set yrange [10:20000]
set xlabel 'bytes'
set ylabel 'us'
row(tag, op, world) = strcol(2) eq (tag.' '.op.' world '.world.' bytes '.word(strcol(2), 6))
bytes(x) = real(word(strcol(2), 6))
tags = 'ring_simple_ch1 ring_simple_ch2 ring_simple_ch4 ring_simple_ch8 ring_simple'
ops = 'all_gather reduce_scatter all_reduce all_to_all'
do for [o=1:4] {
  op = word(ops, o)
  set title op.', 4 H200: points measured, '.lines noenhanced
  plot for [i=1:5] collectives skip 1 using (row(word(tags,i), op, '4') ? bytes(0) : NaN):4 with points ls (i==2?7:i) notitle, \
    for [i=1:5] '<grep "'.word(tags,i).' '.op.' world 4 " '.collectives using (real(word(strcol(2), 6))):5 with lines ls (i==2?7:i) title word(tags,i)
}
unset multiplot
