# gnuplot -e "dir='results'" plot.gp: one picture of who wins where. Above: speed-up over one after the other of the fastest method of
# today and of the fastest with T3's hardware (winners.csv). Below: the fastest of today by bandwidth of links (../links/winners.csv, too).
set datafile separator ','
set terminal svg size 1300,1000 font 'Helvetica,12' background rgb 'white'
set output dir.'/rivals.svg'
table = dir.'/winners.csv'
set multiplot

set origin 0,0.48
set size 1,0.52
set style fill solid 0.85 border -1
set grid ytics lc rgb '#cccccc'
set title 'Fastest over one after the other (1: nothing gained)'
set ylabel 'speed-up'
set yrange [0:*]
set offsets 0.6, 0.6, 0.1, 0
set key outside top right horizontal
set bmargin 8
set rmargin 16
set xtics rotate by -30 left font ',10'
width = 0.38
plot table every ::1 using ($0-0.2):8:(width) with boxes lc rgb '#0072b2' title 'with hardware of today', \
     table every ::1 using ($0+0.2):12:(width) with boxes lc rgb '#e69f00' title "T3's allowed", \
     table every ::1 using 0:(0):xtic(strcol(1).' '.strcol(3)) with points pt 0 notitle, \
     table every ::1 using ($0-0.2):(0.04):7 with labels rotate by 90 left font ',9' textcolor rgb 'white' notitle, \
     table every ::1 using ($0+0.2):(0.04):11 with labels rotate by 90 left font ',9' notitle, \
     1 lc rgb '#888888' notitle

# A column for each machine and bandwidth, a row for each shape: column, row, speed-up, method, machine, factor, shape.
columns = "awk -F, -v OFS=, 'FNR == 1 {next} !($1 in s) {s[$1] = ns++} !($3 in r) {r[$3] = nr++} ".\
          "{print 3 * s[$1] + ($2 < 1 ? 0 : $2 > 1 ? 2 : 1), -r[$3], $8, $7, $1, $2, $3}' ".table.' '.dir.'/../links/winners.csv'
cells = '< '.columns
lines(name) = strstrt(name, '-') ? name[:strstrt(name, '-')]."\n".name[strstrt(name, '-') + 1:] : name  # two lines fit into a cell
set origin 0,0
set size 1,0.48
set title 'Fastest of today, its speed-up over one after the other, by bandwidth of the links (half, as it is, double)'
unset ylabel
unset grid
set offsets 0,0,0,0
unset key
set lmargin 22
set rmargin
set bmargin 3
set xrange [-0.5:*]
set yrange [*:0.5]
set tics scale 0
set xtics norotate center nomirror ()
set ytics nomirror ()
set palette defined (1 '#f7fbff', 1.5 '#6baed6', 2.5 '#2171b5')
set cbrange [1:2]
set cblabel 'speed-up'
plot cells using 1:2:(0.5):(0.5):3 with boxxyerrorbars palette notitle, \
     cells using 1:2:(lines(strcol(4))."\n".strcol(3)) with labels font ',8' notitle, \
     cells using 1:2:xtic(($6 == 1 ? strcol(5)."\n" : '').'x'.strcol(6)):ytic(7) with points pt 0 notitle
unset multiplot
