# gnuplot -e "dir='results'" plot.gp: reads dir/summary.csv and dir/speed.csv, writes dir/memory.svg and dir/memory.png
set datafile separator ','
set style fill solid 0.8
set boxwidth 0.5
set grid ytics
set key outside top horizontal
short(id) = id[1:1]

do for [format in "svg png"] {
  if (format eq 'svg') { set terminal svg size 900,420 font 'Helvetica,12' } else { set terminal pngcairo size 1350,630 font 'Helvetica,14' }
  set output sprintf('%s/memory.%s', dir, format)
  set multiplot layout 1,2
  unset logscale
  set title 'Bandwidth, one HBM2 channel'
  set ylabel '% of peak'
  set yrange [0:100]
  plot sprintf("< grep '\\.bandwidth,' %s/summary.csv", dir) using 0:3:xtic(short(strcol(1))) with boxes lc rgb '#4477aa' title 't3sim', \
       '' using 0:(($7+$8)/2):7:8 with yerrorbars lw 2 pt -1 lc 'black' title 'DRAMsim3, Ramulator 2.1'
  set title 'Simulation speed'
  set ylabel 'requests per CPU second'
  set logscale y
  set yrange [1e4:1e7]
  set format y '10^{%T}'
  plot sprintf('%s/speed.csv', dir) using 0:2:xtic(short(strcol(1))) every ::1 with boxes lc rgb '#4477aa' title 't3sim', \
       '' using 0:(sqrt($3*$4)):3:4 every ::1 with yerrorbars lw 2 pt -1 lc 'black' title 'DRAMsim3, Ramulator 2.1'
  unset format
  unset multiplot
}
