# gnuplot -e "dir='results'" plot.gp: reads dir/substrates.csv, writes dir/substrates.svg
set datafile separator ','
set terminal svg size 1000,460 font 'Helvetica,12' background 'white'
set output dir . '/substrates.svg'
set style fill solid 0.8
set boxwidth 0.6
set grid ytics
set xtics rotate by -35 left
set key outside top horizontal
set multiplot layout 1,2
set bmargin 10
file = dir . '/substrates.csv'
name(column) = sprintf('%s, %s', strcol(2), strcol(3))
set title 'GEMM fused with reduce-scatter'
set ylabel 'us'
set yrange [0:*]
plot file using 0:4:xtic(name(0)) every ::1 with boxes lc rgb '#4477aa' notitle
set title 'DRAM of a GPU'
set ylabel 'MB'
set style data histograms
set style histogram rowstacked
plot file using 5:xtic(name(0)) every ::1 lc rgb '#cc6677' title 'communication reads', \
     '' using 6 every ::1 lc rgb '#4477aa' title 'writes', \
     '' using 7 every ::1 lc rgb '#ddcc77' title 'GEMM reads', \
     '' using 8 every ::1 lc rgb '#117733' title 'writes'
unset multiplot
