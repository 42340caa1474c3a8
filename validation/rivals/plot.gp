# gnuplot -e "dir='results'" plot.gp: who wins where, from winners.csv: speed-up over one after the other of the fastest method of
# today and of the fastest with T3's hardware, each with its name.
set datafile separator ','
set style fill solid 0.85 border -1
set grid ytics lc rgb '#cccccc'
set terminal svg size 1200,520 font 'Helvetica,12' background rgb 'white'
set output dir.'/rivals.svg'
set title 'Fastest over one after the other (1: nothing gained)'
set ylabel 'speed-up'
set yrange [0:*]
set offsets 0.6, 0.6, 0.35, 0
set key outside top right horizontal
set bmargin 8
set xtics rotate by -30 left font ',10'
width = 0.38
table = dir.'/winners.csv'
plot table every ::1 using ($0-0.2):7:(width) with boxes lc rgb '#0072b2' title 'with hardware of today', \
     table every ::1 using ($0+0.2):11:(width) with boxes lc rgb '#e69f00' title "T3's allowed", \
     table every ::1 using 0:(0):xtic(strcol(1).' '.strcol(2)) with points pt 0 notitle, \
     table every ::1 using ($0-0.2):7:6 with labels rotate by 60 offset 0.6,0.9 left font ',9' notitle, \
     table every ::1 using ($0+0.2):11:10 with labels rotate by 60 offset 0.6,0.9 left font ',9' notitle, \
     1 lc rgb '#888888' notitle
