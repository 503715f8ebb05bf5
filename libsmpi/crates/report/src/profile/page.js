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
  // What is below the pointer, in words.
  function tipOf(canvas) {
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    canvas.parentElement.append(tip);
    canvas.addEventListener("mouseleave", () => { tip.hidden = true; });
    return (event, text) => {
      tip.hidden = text === null;
      if (tip.hidden) return;
      const box = canvas.getBoundingClientRect();
      tip.textContent = text;
      tip.style.left = Math.max(0, Math.min(event.clientX - box.left + 12, canvas.parentElement.clientWidth - 260)) + "px";
      tip.style.top = event.clientY - box.top + 14 + "px";
    };
  }
  const canvas = document.getElementById("timeline"), tell = tipOf(canvas);
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
    if (!row || date < from || date > to) return tell(event, null);
    const span = data.spans.find((one) => date >= one[1] && date < one[2] && rows[rowOf(one[0])] === row);
    const interval = Math.floor(date / data.interval);
    const shares = names.map((name, state) => [name, (row.states[interval * 6 + state] || 0) / 2.55]).filter((one) => one[1] >= 1);
    const what = span ? data.places[span[8]] + ", " + words(span[2] - span[1])
      : shares.map((one) => one[0] + " " + one[1].toFixed(0) + " %").join(", ") || "ended";
    tell(event, row.label + ", " + words(date) + ": " + what);
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
  const amount = (count) => {
    const units = [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]], unit = units.find((one) => count >= one[1]);
    return unit ? (count / unit[1]).toPrecision(3) + " " + unit[0] : count + " B";
  };
  // Senders go down, receivers across. What is darker is more: the colour grows with the root of the bytes.
  function matrixOf(id, matrix) {
    const canvas = document.getElementById(id);
    if (!canvas) return () => {};
    const size = Math.ceil(matrix.count / matrix.block), most = Math.max(...matrix.cells.map((one) => one[3])) || 1;
    const short = (index) => matrix.names.length ? matrix.names[index * matrix.block] : String(index * matrix.block);
    const long = (index) => {
      const first = index * matrix.block, last = Math.min(first + matrix.block, matrix.count) - 1;
      const name = (one) => matrix.names.length ? matrix.names[one] : String(one);
      const noun = matrix.names.length ? "" : first === last ? "rank " : "ranks ";
      return noun + name(first) + (first === last ? "" : " to " + name(last));
    };
    const every = Math.ceil(size / 16), ticks = [...Array(size).keys()].filter((index) => index % every === 0);
    const margin = 10 + 7 * Math.min(16, Math.max(...ticks.map((index) => short(index).length))), top = 20;
    const tell = tipOf(canvas);
    let cell = 1;
    canvas.addEventListener("mousemove", (event) => {
      const box = canvas.getBoundingClientRect();
      const row = Math.floor((event.clientY - box.top - top) / cell), column = Math.floor((event.clientX - box.left - margin) / cell);
      if (row < 0 || column < 0 || row >= size || column >= size) return tell(event, null);
      const found = matrix.cells.find((one) => one[0] === row && one[1] === column);
      const what = found ? found[2] + (found[2] === 1 ? " message, " : " messages, ") + amount(found[3]) : "nothing";
      tell(event, long(row) + " to " + long(column) + ": " + what);
    });
    return () => {
      const side = Math.max(60, Math.min(420, canvas.parentElement.clientWidth - margin - 8));
      const [context] = prepare(canvas, top + side + 40);
      cell = side / size;
      for (const [sender, receiver, , volume] of matrix.cells)
        heat(context, margin + receiver * cell, top + sender * cell, Math.max(1, cell - 0.5), Math.max(1, cell - 0.5), Math.max(1e-9, Math.sqrt(volume / most)));
      context.strokeStyle = style("--line");
      context.strokeRect(margin + 0.5, top + 0.5, side, side);
      context.fillStyle = style("--muted");
      for (const index of ticks) {
        const middle = (index + 0.5) * cell;
        context.textAlign = "right";
        context.fillText(short(index).slice(0, 16), margin - 4, top + middle + 4);
        // Long names of neighbours would cover each other.
        if (7 * short(index).length > every * cell && index > 0) continue;
        context.textAlign = "center";
        context.fillText(short(index), margin + middle, top - 6);
      }
      const strip = Math.min(180, side);
      for (let place = 0; place < strip; place++) heat(context, margin + place, top + side + 10, 1.02, 10, (place + 1) / strip);
      context.fillStyle = style("--muted");
      [[0, "left"], [0.5, "center"], [1, "right"]].forEach(([share, align]) => {
        context.textAlign = align;
        context.fillText(amount(Math.round(share * share * most)), margin + share * strip, top + side + 33);
      });
      context.textAlign = "left";
    };
  }
  const drawRanks = matrixOf("matrix", data.matrix), drawHosts = matrixOf("host-matrix", data.hostMatrix);
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
  const all = () => { draw(); drawRanks(); drawHosts(); drawLinks(); };
  window.addEventListener("resize", all);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
  all();
  document.body.dataset.drawn = "yes";
})();
