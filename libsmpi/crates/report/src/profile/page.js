// The timeline of a simulation, the matrix of messages and the use of links, drawn on canvases from the page's data.
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const names = ["computation", "overhead", "waiting", "transfer", "contention", "sleep"];
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const words = (secs) => {
    const units = [["s", 1], ["ms", 1e-3], ["us", 1e-6], ["ns", 1e-9]];
    const unit = units.find((one) => Math.abs(secs) >= one[1]) || units[3];
    return secs === 0 ? "0" : (secs / unit[1]).toPrecision(4) + " " + unit[0];
  };
  // A canvas as wide as its parent, sharp on every screen.
  const prepare = (canvas, height) => {
    const scale = window.devicePixelRatio || 1, width = canvas.parentElement.clientWidth;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "11px ui-monospace, Menlo, Consolas, monospace";
    return [context, width];
  };

  const rows = data.rows.map((row) => ({ label: row.label, first: row.first, last: row.last, ranks: row.ranks, states: bytes(row.states) }));
  const rowOf = (rank) => rows.findIndex((row) => row.ranks ? row.ranks.includes(rank) : rank >= row.first && rank <= row.last);
  const left = 8 + 7 * Math.max(4, ...rows.map((row) => row.label.length)), axis = 22;
  const rowHeight = Math.max(9, Math.min(26, Math.floor(620 / rows.length)));
  const canvas = document.getElementById("timeline"), tip = document.getElementById("tip");
  const checked = (id) => document.getElementById(id).checked;
  let from = 0, to = data.secs, drag = null;
  const x = (secs, width) => left + (secs - from) / (to - from) * (width - left - 8);
  const secsAt = (place, width) => from + (place - left) / (width - left - 8) * (to - from);

  function drawStates(context, width) {
    const colours = names.map((_, state) => style("--state-" + state));
    rows.forEach((row, index) => {
      const top = axis + index * rowHeight, room = rowHeight - 2;
      for (let place = left; place < width - 8; place++) {
        const first = Math.floor(secsAt(place, width) / data.interval);
        const last = Math.max(first, Math.ceil(secsAt(place + 1, width) / data.interval) - 1);
        const sums = [0, 0, 0, 0, 0, 0], known = Math.min(last, row.states.length / 6 - 1);
        for (let interval = first; interval <= known; interval++)
          for (let state = 0; state < 6; state++) sums[state] += row.states[interval * 6 + state] || 0;
        let y = top + room;
        sums.forEach((sum, state) => {
          const height = sum / 255 / (last - first + 1) * room;
          if (height <= 0) return;
          context.fillStyle = colours[state];
          context.fillRect(place, y - height, 1.02, height);
          y -= height;
        });
      }
    });
  }
  // Single calls and computations, where there are few enough to be told apart.
  function drawSpans(context, width) {
    const colours = names.map((_, state) => style("--state-" + state));
    for (const [rank, start, end, kind, wait, transfer, contention, overhead] of data.spans) {
      if (end < from || start > to) continue;
      const top = axis + rowOf(rank) * rowHeight, room = rowHeight - 2;
      const parts = kind === 0 ? [[0, end - start]] : [[1, overhead], [2, wait], [3, transfer], [4, contention]];
      let date = start;
      for (const [state, secs] of parts) {
        context.fillStyle = colours[state];
        const begin = Math.max(left, x(date, width)), stop = Math.min(width - 8, x(date + secs, width));
        if (stop > begin) context.fillRect(begin, top, Math.max(0.5, stop - begin), room);
        date += secs;
      }
    }
  }
  function drawMessages(context, width) {
    context.strokeStyle = style("--muted");
    context.lineWidth = 0.8;
    context.beginPath();
    for (const [sender, receiver, start, end] of data.messages) {
      if (end < from || start > to) continue;
      const middle = (rank) => axis + rowOf(rank) * rowHeight + rowHeight / 2;
      context.moveTo(x(start, width), middle(sender));
      context.lineTo(x(end, width), middle(receiver));
    }
    context.stroke();
  }
  function drawPath(context, width) {
    context.strokeStyle = style("--ink");
    context.lineWidth = 1.6;
    // A long path must not hide what lies below it.
    const visible = data.path.filter(([, , start, end]) => end >= from && start <= to).length;
    context.globalAlpha = Math.min(1, Math.max(0.2, 300 / visible));
    context.beginPath();
    data.path.forEach(([rank, peer, start, end], index) => {
      const middle = (one) => axis + rowOf(one) * rowHeight + rowHeight / 2;
      if (index === 0) context.moveTo(x(start, width), middle(rank));
      context.lineTo(x(start, width), middle(rank));
      context.lineTo(x(end, width), middle(peer));
    });
    context.stroke();
    context.globalAlpha = 1;
  }
  function draw() {
    const [context, width] = prepare(canvas, axis + rows.length * rowHeight + 4);
    const few = data.spans.length > 0 && to - from < 60 * data.interval || data.spans.length > 0 && data.spans.length < 400;
    context.save();
    context.beginPath();
    context.rect(left, 0, width - left - 8, 1e5);
    context.clip();
    if (few) drawSpans(context, width); else drawStates(context, width);
    if (checked("show-messages")) drawMessages(context, width);
    if (checked("show-path")) drawPath(context, width);
    context.restore();
    context.fillStyle = style("--muted");
    rows.forEach((row, index) => {
      if (rowHeight >= 11 || index % 2 === 0) context.fillText(row.label, 4, axis + index * rowHeight + rowHeight - 4);
    });
    for (let tick = 0; tick <= 5; tick++) {
      const secs = from + (to - from) * tick / 5, place = x(secs, width);
      context.textAlign = tick === 0 ? "left" : tick === 5 ? "right" : "center";
      context.fillText(words(secs), place, 12);
      context.fillRect(place, 16, 1, 4);
    }
    context.textAlign = "left";
  }
  function zoom(factor, at) {
    const length = Math.min(data.secs, Math.max(data.secs * 1e-6, (to - from) * factor));
    const share = (at - from) / (to - from);
    from = Math.max(0, Math.min(data.secs - length, at - share * length));
    to = from + length;
    draw();
  }
  function explain(event) {
    const box = canvas.getBoundingClientRect(), width = box.width;
    const date = secsAt(event.clientX - box.left, width), row = rows[Math.floor((event.clientY - box.top - axis) / rowHeight)];
    if (!row || date < from || date > to) { tip.hidden = true; return; }
    const span = data.spans.find((one) => date >= one[1] && date < one[2] && rows[rowOf(one[0])] === row);
    const interval = Math.floor(date / data.interval);
    const shares = names.map((name, state) => [name, (row.states[interval * 6 + state] || 0) / 2.55]).filter((one) => one[1] >= 1);
    const what = span ? data.places[span[8]] + ", " + words(span[2] - span[1])
      : shares.map((one) => one[0] + " " + one[1].toFixed(0) + " %").join(", ") || "ended";
    tip.textContent = row.label + ", " + words(date) + ": " + what;
    tip.hidden = false;
    tip.style.left = Math.min(event.clientX - box.left + 12, width - 260) + "px";
    tip.style.top = event.clientY - box.top + 14 + "px";
  }
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, secsAt(event.clientX - box.left, box.width));
  }, { passive: false });
  canvas.addEventListener("mousedown", (event) => { drag = [event.clientX, from]; });
  window.addEventListener("mouseup", () => { drag = null; });
  canvas.addEventListener("mousemove", (event) => {
    if (!drag) return explain(event);
    const width = canvas.getBoundingClientRect().width, length = to - from;
    from = Math.max(0, Math.min(data.secs - length, drag[1] - (event.clientX - drag[0]) / (width - left - 8) * length));
    to = from + length;
    draw();
  });
  canvas.addEventListener("mouseleave", () => { tip.hidden = true; });
  const middle = () => (from + to) / 2;
  document.getElementById("zoom-in").addEventListener("click", () => zoom(0.5, middle()));
  document.getElementById("zoom-out").addEventListener("click", () => zoom(2, middle()));
  document.getElementById("zoom-all").addEventListener("click", () => { from = 0; to = data.secs; draw(); });
  for (const id of ["show-messages", "show-path"]) document.getElementById(id).addEventListener("change", draw);

  // Squares and strips whose colour says how much.
  function heat(context, left, top, width, height, share) {
    if (share <= 0) return;
    context.globalAlpha = 0.08 + 0.92 * Math.min(1, share);
    context.fillStyle = style("--accent");
    context.fillRect(left, top, width, height);
    context.globalAlpha = 1;
  }
  function drawMatrix(id, matrix) {
    const canvas = document.getElementById(id);
    if (!canvas) return;
    const side = Math.min(420, canvas.parentElement.clientWidth - 8), [context] = prepare(canvas, side + 4);
    const cell = side / matrix.size, most = Math.max(...matrix.cells.map((one) => one[2]));
    for (const [sender, receiver, volume] of matrix.cells)
      heat(context, receiver * cell, sender * cell, Math.max(1, cell - 0.5), Math.max(1, cell - 0.5), Math.sqrt(volume / most));
    context.strokeStyle = style("--line");
    context.strokeRect(0.5, 0.5, side, side);
  }
  function drawLinks() {
    const links = document.getElementById("links");
    if (!links) return;
    const height = 20, [context, width] = prepare(links, data.links.length * height + 20);
    const start = 10 + 7 * Math.max(...data.links.map((one) => one.name.length));
    data.links.forEach((link, index) => {
      const use = bytes(link.use), step = (width - start - 8) / data.secs * link.interval;
      context.fillStyle = style("--muted");
      context.fillText(link.name, 4, index * height + 14);
      use.forEach((share, interval) => heat(context, start + interval * step, index * height + 3, step + 0.3, height - 6, share / 255));
      context.strokeStyle = style("--line");
      context.strokeRect(start + 0.5, index * height + 2.5, width - start - 8, height - 5);
    });
  }
  const all = () => { draw(); drawMatrix("matrix", data.matrix); drawMatrix("host-matrix", data.hostMatrix); drawLinks(); };
  window.addEventListener("resize", all);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
  all();
  document.body.dataset.drawn = "yes";
})();
