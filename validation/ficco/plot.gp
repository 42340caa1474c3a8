# gnuplot -e "dir='results'" plot.gp: speed-ups of the schedules over serial, as Figures 12(b) and 13 show them, from schedules.csv.
set datafile separator ','
set style fill solid 0.85 border -1
set grid ytics lc rgb '#cccccc'
set terminal svg size 1100,420 font 'Helvetica,12' background rgb 'white'
set output dir.'/schedules.svg'
set title 'Speed-up over serial (paper: ideal up to 1.7, 1D up to 1.6, 2D up to 1.7, shard by shard 3.9x slower at worst)'
set ylabel 'speed-up'
set yrange [0:*]
set key outside bottom center horizontal
of = 8.  # schedules of a shape, the first of which is serial
schedules = 'ideal shard-p2p uniform-fused-1d uniform-fused-2d hetero-fused-1d hetero-unfused-1d ficco-rccl'
colours = '#888888 #d55e00 #0072b2 #56b4e9 #009e73 #f0e442 #cc79a7'
set boxwidth 0.11
set xrange [-0.6:*]
set offsets 0, 0.5, 0, 0
plot for [i = 1:words(schedules)] dir.'/schedules.csv' every ::1 using \
       (strcol(5) eq word(schedules, i) ? floor($0 / of) + (i - 4) * 0.12 : 1/0):8 \
       with boxes lc rgb word(colours, i) title word(schedules, i), \
     '' every 8::1 using 0:(0):xtic(1) with dots notitle, 1 lc rgb '#444444' notitle
