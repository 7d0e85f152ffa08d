// What may have to be scrolled can be reached by keyboard.
for (const each of document.querySelectorAll("pre")) each.tabIndex = 0;
// Turns each play, whose steps stand one after the other, into one that is leafed through.
for (const play of document.querySelectorAll(".play")) {
  const steps = [...play.querySelectorAll(".step")];
  if (steps.length < 2) continue;
  const make = (name, more) => Object.assign(document.createElement(name), more);
  const bar = make("div", { className: "bar" });
  const back = make("button", { type: "button", textContent: "‹", title: "step back (left arrow)", ariaLabel: "step back" });
  const on = make("button", { type: "button", textContent: "›", title: "step on (right arrow)", ariaLabel: "step on" });
  const slide = make("input", { type: "range", min: 0, max: steps.length - 1 });
  slide.setAttribute("aria-label", "step");
  const told = make("output", {});
  let now = 0;
  const show = (at) => {
    now = Math.max(0, Math.min(steps.length - 1, at));
    steps.forEach((step, number) => step.classList.toggle("now", number === now));
    slide.value = now;
    told.textContent = `${now} of ${steps.length - 1}`;
    back.disabled = now === 0;
    on.disabled = now === steps.length - 1;
  };
  back.addEventListener("click", () => show(now - 1));
  on.addEventListener("click", () => show(now + 1));
  slide.addEventListener("input", () => show(Number(slide.value)));
  const keys = { ArrowLeft: () => now - 1, ArrowRight: () => now + 1, Home: () => 0, End: () => steps.length - 1 };
  play.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.target === slide) return;
    event.preventDefault();
    show(keys[event.key]());
  });
  bar.append(back, slide, on, told);
  play.prepend(bar);
  for (const rule of play.querySelectorAll("details")) {
    rule.addEventListener("toggle", () => play.querySelectorAll("details").forEach((each) => (each.open = rule.open)));
  }
  play.tabIndex = 0;
  play.setAttribute("role", "group");
  play.setAttribute("aria-label", "a play: the arrow keys step through it");
  play.classList.add("live");
  show(play.dataset.from === "end" ? steps.length - 1 : 0);
}
