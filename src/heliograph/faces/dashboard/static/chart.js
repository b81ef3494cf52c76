// Draws what `data-chart` of each .chart says; the table beside it has the same figures.
"use strict";

const COLOURS = {
  received: "#2f7fd1", delivered: "#3a9d5d", read: "#1a6b38", sent: "#c9a227", failed: "#d1483b",
  canceled: "#8a8f98", queued: "#e08a1e", sending: "#e08a1e", scheduled: "#9a6fd0",
};

function draw(place) {
  const { days, series } = JSON.parse(place.dataset.chart);
  const style = getComputedStyle(document.body);
  const steps = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((each) => each * 10 ** power)).flat();
  const axis = { stroke: style.color, grid: { stroke: "rgb(128 128 128 / .2)" } };
  const lines = Object.keys(series).map((name) => ({
    label: name,
    stroke: COLOURS[name],
    fill: COLOURS[name] + "22",
    width: 2,
    points: { show: days.length < 2 },
  }));
  const size = () => ({ width: place.clientWidth, height: 260 });
  const plot = new uPlot(
    {
      ...size(),
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
      series: [{ value: "{YYYY}-{MM}-{DD}" }, ...lines],
      axes: [axis, { ...axis, incrs: steps }],
      scales: { y: { range: (_, least, most) => [0, Math.max(most, 1) * 1.05] } },
    },
    [days, ...Object.values(series)],
    place,
  );
  addEventListener("resize", () => plot.setSize(size()));
}

document.querySelectorAll(".chart").forEach(draw);
