// Digits on reels. They roll forward to an amount and stop on it: never past it, and never backwards.

import { dollars } from "./stream.js";

const ROLL_MS = 900;
const isStill = matchMedia("(prefers-reduced-motion: reduce)");
const ease = (t) => 1 - (1 - t) ** 3;

export class Odometer {
  #reels = [];
  #layout = "";
  #from = 0;
  #to = 0;
  #began = 0;
  #frame = 0;

  constructor(element) {
    this.element = element;
  }

  // What the reels say at this moment, in whole cents.
  get shown() {
    return Math.floor(this.#at(performance.now()));
  }

  // What they are rolling to.
  get goal() {
    return this.#to;
  }

  set(amount) {
    cancelAnimationFrame(this.#frame);
    this.#from = this.#to = amount;
    this.#draw(amount);
  }

  roll(amount) {
    if (isStill.matches || document.hidden) return this.set(amount);
    this.#from = this.#at(performance.now());
    this.#to = amount;
    this.#began = performance.now();
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame((now) => this.#step(now));
  }

  // The whole number leaves and another comes in its place: reels do not turn backwards.
  async replace(amount) {
    if (isStill.matches || document.hidden) return this.set(amount);
    this.set(this.#to);
    const leave = [{ opacity: 1 }, { opacity: 0, transform: "translateY(14%)" }];
    const arrive = [{ opacity: 0, transform: "translateY(-14%)" }, { opacity: 1 }];
    this.#from = this.#to = amount;
    await this.element.animate(leave, { duration: 260, easing: "ease-in" }).finished;
    this.set(this.#to);
    await this.element.animate(arrive, { duration: 420, easing: "ease-out" }).finished;
  }

  #at(now) {
    if (this.#from === this.#to) return this.#to;
    return this.#from + (this.#to - this.#from) * ease(Math.min(1, Math.max(0, (now - this.#began) / ROLL_MS)));
  }

  #step(now) {
    if (now - this.#began >= ROLL_MS) return this.set(this.#to);
    this.#draw(this.#at(now));
    this.#frame = requestAnimationFrame((later) => this.#step(later));
  }

  #draw(value) {
    const whole = Math.floor(value);
    this.#build(dollars(whole).replace(/\d/g, "0"));
    let turning = value - whole; // how far the reel to the right has turned past nine
    let rest = whole;
    for (const reel of this.#reels) {
      const digit = rest % 10;
      reel.style.setProperty("--at", (digit + turning).toFixed(3));
      turning = digit === 9 ? turning : 0;
      rest = Math.floor(rest / 10);
    }
    this.element.dataset.shown = dollars(whole);
  }

  #build(layout) {
    if (layout === this.#layout) return;
    this.#layout = layout;
    this.element.replaceChildren(...[...layout].map((mark) => (mark === "0" ? reel() : still(mark))));
    this.#reels = [...this.element.querySelectorAll(".reel__strip")].reverse();
    // How wide the number is in its own type size, so that the style sheet can make it as large as the wall allows.
    const width = this.#reels.length * 0.475 + (layout.length - this.#reels.length - 1) * 0.2 + 0.42 + (layout.length - 1) * 0.03;
    this.element.style.setProperty("--ems", width.toFixed(3));
  }
}

function reel() {
  const window = document.createElement("span");
  const strip = document.createElement("span");
  window.className = "reel";
  strip.className = "reel__strip";
  strip.append(...[..."01234567890"].map((digit) => Object.assign(document.createElement("span"), { textContent: digit })));
  window.append(strip);
  return window;
}

function still(mark) {
  const span = document.createElement("span");
  span.className = `odometer__mark${mark === "$" ? " odometer__mark--currency" : ""}`;
  span.textContent = mark;
  return span;
}
