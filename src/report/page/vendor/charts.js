// The parts of Apache ECharts that the report draws with; rebuild.sh bundles them into echarts.min.js.
export { init } from "echarts/core";
import { use } from "echarts/core";
import { BarChart, CustomChart, HeatmapChart, LineChart } from "echarts/charts";
import {
  AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent,
  TitleComponent, TooltipComponent, VisualMapContinuousComponent,
} from "echarts/components";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";

use([
  BarChart, CustomChart, HeatmapChart, LineChart,
  AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent,
  TitleComponent, TooltipComponent, VisualMapContinuousComponent,
  CanvasRenderer, SVGRenderer,
]);
