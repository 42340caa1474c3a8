# gnuplot -e "dir='results'" plot.gp: speed-ups of the schedules over serial, as Figures 12(b) and 13 show them, from schedules.csv.
set datafile separator ','
set style fill solid 0.85 border -1
set grid ytics lc rgb '#cccccc'
set key off
set terminal svg size 700,380 font 'Helvetica,12' background rgb 'white'
set output dir.'/schedules.svg'
set title 'Speed-up over serial (paper: ideal up to 1.7, 1D up to 1.6, 2D up to 1.7, shard by shard 3.9x slower at worst)'
set ylabel 'speed-up'
set yrange [0:*]
set boxwidth 0.7
set xtics rotate by -40 left font ',10'
plot dir.'/schedules.csv' every ::1 using 0:8:xtic(strcol(1).' '.strcol(5)) with boxes lc rgb '#0072b2', 1 lc rgb '#888888'
