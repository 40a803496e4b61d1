// Brings a page to life: figures with curves, and live views where the browser can compile WebAssembly.

function dataOf(script) {
  return JSON.parse(script.textContent);
}

async function start() {
  const plots = [];
  for (const script of document.querySelectorAll("script.traces")) {
    const traces = dataOf(script), [followed, motion] = traces.follows.split(" ");
    plots.push({plot: new Plot(script.closest("figure"), traces), followed, motion});
  }
  for (const script of document.querySelectorAll("script.scene")) {
    const scene = dataOf(script), figure = document.getElementById(scene.figure);
    try {
      const view = new View(figure, scene, await Model.of(scene));
      for (const {plot, followed, motion} of plots) {
        if (followed !== scene.figure) continue;
        plot.seek = (time) => view.seek(motion, time);
        view.plots.push({plot, motion});
      }
      view.refresh();
    } catch (error) {
      console.error(`the live view of ${scene.robot} does not start:`, error);
    }
  }
  document.documentElement.dataset.live = "ready";
}

start();
