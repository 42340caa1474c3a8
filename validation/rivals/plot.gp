# gnuplot -e "dir='results'" plot.gp: speed-up of each method over one after the other, by machine and shape, from runs.csv.
set datafile separator ','
set style fill solid 0.85 border -1
set grid ytics lc rgb '#cccccc'
set key off
set terminal svg size 1500,480 font 'Helvetica,12' background rgb 'white'
set output dir.'/rivals.svg'
set title 'Speed-up over one after the other (1: nothing gained)'
set ylabel 'speed-up'
set yrange [0:*]
set boxwidth 0.7
set bmargin 14
set xtics rotate by -70 left font ',8'
plot '< grep -v " alone," '.dir.'/runs.csv | awk -F, ''NR==1||$7!=""''' every ::1 using 0:7:xtic(strcol(1).' '.strcol(2).' '.strcol(4)) with boxes lc rgb '#0072b2', 1 lc rgb '#888888'
