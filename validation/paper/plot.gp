# gnuplot -e "dir='results'" plot.gp: reads the figures' CSV files in dir, draws them as the paper does, as SVG; regenerate.sh makes PNG of them.
set datafile separator ','
set style fill solid 0.85 border -1
set grid ytics lc rgb '#cccccc'
set key outside top horizontal
set terminal svg size 1000,420 font 'Helvetica,12' background rgb 'white'
file(name) = sprintf('%s/%s.csv', dir, name)
picture(name) = sprintf('%s/%s.svg', dir, name)
label(model, tp, layer) = sprintf('%s %s TP%s', model, layer, tp)
# A scheme has its colour of t3sim report; parts of a time are shades.
gemm = '#0072b2'; rs = '#619fcc'; ag = '#add2e6'; rest = '#d9d9d9'; t3 = '#e69f00'; mca = '#0072b2'; ideal = '#009e73'; nmc = '#cc79a7'

# Figure 4: a layer's time
set output picture('figure4')
set title 'Figure 4: share of a Transformer layer''s time'
set style data histograms
set style histogram rowstacked
set boxwidth 0.7
set yrange [0:1]
set xtics rotate by -40 left font ',10'
plot file('figure4') every ::1 using 4:xtic(strcol(1).' TP'.strcol(2).' '.strcol(3)) lc rgb gemm title 'sliced GEMM', \
     '' every ::1 using 5 lc rgb rs title 'reduce-scatter', '' every ::1 using 6 lc rgb ag title 'all-gather', \
     '' every ::1 using 7 lc rgb rest title 'all else'

# Figure 6: sharing CUs
set output picture('figure6')
set title 'Figure 6: GEMM and all-reduce with fewer CUs, time over that with all 80; potential overlap speed-up (paper''s geomeans: 1.67, 1.18, 1.49)'
set style histogram clustered gap 1
set yrange [0:*]
plot file('figure6') every ::1 using 6:xtic(strcol(1).' '.strcol(2).' '.strcol(3)) lc rgb gemm title 'GEMM', \
     '' every ::1 using 7 lc rgb rs title 'all-reduce', '' every ::1 using 8 lc rgb ideal title 'potential speed-up'

# Figure 14: ring reduce-scatter
set output picture('figure14')
set title 'Figure 14''s method: ring reduce-scatter on four GPUs'
set style data linespoints
set logscale xy 2
set xtics norotate
set xlabel 'MB'
set ylabel 'us'
set yrange [*:*]
plot file('figure14') every ::1 using 1:2 lc rgb rs pt 7 title 'simulated', '' every ::1 using 1:($3+$4) lc rgb 'black' dt 2 title 'closed form'
unset logscale
unset xlabel
unset ylabel

# Figures 15 and 16: the 16 sub-layers
set style data histograms
set xtics rotate by -40 left font ',10'
set output picture('figure15')
set title 'Figure 15: sub-layer run time, share'
set style histogram rowstacked
set yrange [0:1]
plot file('figure15') every ::1 using ($4/($4+$5+$6)):xtic(label(strcol(1),strcol(2),strcol(3))) lc rgb gemm title 'GEMM', \
     '' every ::1 using ($5/($4+$5+$6)) lc rgb rs title 'reduce-scatter', '' every ::1 using ($6/($4+$5+$6)) lc rgb ag title 'all-gather'
set output picture('figure16')
stats file('figure16') every ::1 using (log($4)) name 'T3' nooutput
stats file('figure16') every ::1 using (log($5)) name 'MCA' nooutput
stats file('figure16') every ::1 using (log($6)) name 'IDEAL' nooutput
set title sprintf('Figure 16: speed-up over sequential; geomeans of T3, T3-MCA, ideal overlap: ours %.3f %.3f %.3f; dashed: the paper''s 1.20 1.30 1.35', \
                  exp(T3_mean), exp(MCA_mean), exp(IDEAL_mean))
set style histogram clustered gap 1
set yrange [1:1.6]
plot file('figure16') every ::1 using 4:xtic(label(strcol(1),strcol(2),strcol(3))) lc rgb t3 title 'T3', \
     '' every ::1 using 5 lc rgb mca title 'T3-MCA', '' every ::1 using 6 lc rgb ideal title 'ideal overlap', \
     '' every ::1 using 7 lc rgb nmc title 'ideal RS + NMC', \
     1.20 lc rgb t3 dt 2 lw 1.5 notitle, 1.30 lc rgb mca dt 2 lw 1.5 notitle, 1.35 lc rgb ideal dt 2 lw 1.5 notitle

# Figure 17: DRAM traffic over time
set output picture('figure17')
set terminal svg size 1000,700 font 'Helvetica,12' background rgb 'white'
set style data steps
set xtics norotate
set yrange [0:900]
set xrange [0:1000]
set key inside top center horizontal
set multiplot layout 3,1 title 'Figure 17: DRAM traffic of T-NLG FC-2, TP 8, 4096 tokens, GB/s over us'
do for [scheme in "sequential t3 t3-mca"] {
  set title (scheme eq 'sequential' ? 'isolated GEMM' : scheme) offset 0,-0.7
  flow(kind) = sprintf("< grep '^%s,.*,%s,' %s", scheme, kind, file('figure17'))
  if (scheme eq 'sequential') {
    plot flow('gemm_read_bytes') using 2:4 lc rgb gemm lw 1.5 title 'GEMM reads', flow('gemm_write_bytes') using 2:4 lc rgb '#888888' lw 1.5 title 'GEMM writes'
  } else {
    plot flow('gemm_read_bytes') using 2:4 lc rgb gemm lw 1.5 title 'GEMM reads', flow('gemm_write_bytes') using 2:4 lc rgb '#888888' lw 1.5 title 'GEMM updates', \
         flow('rs_read_bytes') using 2:4 lc rgb rs lw 1.5 title 'RS reads', flow('rs_write_bytes') using 2:4 lc rgb ag lw 1.5 title 'RS updates'
  }
}
unset multiplot
set xrange [*:*]
set key outside top horizontal
set title offset 0,0
set terminal svg size 1000,420 font 'Helvetica,12' background rgb 'white'

# Figure 18: DRAM accesses
set output picture('figure18')
set title 'Figure 18: DRAM accesses by cause, MB a GPU (bars of a case: sequential, T3, T3-MCA)'
set style data histograms
set style histogram rowstacked
set yrange [0:*]
set bmargin 9
set xtics rotate by -40 left font ',10'
plot file('figure18') every ::1 using 5:xtic(strcol(4) eq 't3' ? label(strcol(1),strcol(2),strcol(3)) : '') lc rgb gemm title 'GEMM reads', \
     '' every ::1 using 6 lc rgb '#99bbdd' title 'GEMM writes', '' every ::1 using 7 lc rgb rs title 'RS reads', \
     '' every ::1 using 8 lc rgb '#f4a6ae' title 'RS writes', '' every ::1 using 9 lc rgb ag title 'AG reads', \
     '' every ::1 using 10 lc rgb '#e6dda0' title 'AG writes'

unset bmargin

# Figures 19 and 20
set xtics rotate by -40 left font ',10'
set style histogram clustered gap 1
set yrange [1:*]
set output picture('figure19')
set title 'Figure 19: speed-up of whole models; the paper''s geomeans of T3-MCA: training 1.10 (dashed), prompt 1.12 (dotted)'
plot file('figure19') every ::1 using 4:xtic(strcol(1).' TP'.strcol(2).' '.strcol(3)) lc rgb t3 title 'T3', \
     '' every ::1 using 5 lc rgb mca title 'T3-MCA', 1.10 lc rgb 'black' dt 2 notitle, 1.12 lc rgb 'black' dt 3 notitle
set output picture('figure20')
set title 'Figure 20: twice the CUs, the same network (the paper: FC-2 gains more, OP less)'
plot file('figure20') every ::1 using 4:xtic(label(strcol(1),strcol(2),strcol(3))) lc rgb t3 title 'T3, 80 CUs', \
     '' every ::1 using 5 lc rgb t3 fs pattern 4 title '160 CUs', '' every ::1 using 6 lc rgb mca title 'T3-MCA, 80 CUs', \
     '' every ::1 using 7 lc rgb mca fs pattern 4 title '160 CUs'
