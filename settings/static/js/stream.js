// Follows the meters' stream, and knows when what it heard is no longer current.

const PATIENCE_MS = 5000; // a display that hears nothing for this long says that it is not current
const RENEWAL_MS = 9000; // and after this long the line itself is taken for dead

export class Stream {
  #source = null;
  #heardAt = 0; // by the page's own clock: the wall's idea of the time of day does not matter
  #isCurrent = false;
  #trouble = "";

  // told: onMeter(meter), onStale(reason), onCurrent()
  constructor(progressives, told) {
    const query = progressives.map((slug) => `progressive=${encodeURIComponent(slug)}`).join("&");
    this.address = `/api/v1/meters/stream/${query ? `?${query}` : ""}`;
    this.told = told;
    this.#open();
    setInterval(() => this.#judge(), 250);
  }

  #open() {
    this.#source?.close();
    this.#source = new EventSource(this.address);
    this.openedAt = performance.now();
    this.#source.addEventListener("meter", (event) => this.#hear(JSON.parse(event.data)));
    this.#source.addEventListener("trouble", (event) => {
      this.#trouble = JSON.parse(event.data).detail;
      this.#judge();
    });
  }

  #hear(meter) {
    this.#heardAt = performance.now();
    this.#trouble = "";
    this.told.onMeter(meter);
    this.#judge();
  }

  #judge() {
    const now = performance.now();
    const isCurrent = !this.#trouble && this.#heardAt > 0 && now - this.#heardAt < PATIENCE_MS;
    if (isCurrent && !this.#isCurrent) this.told.onCurrent();
    // A page that has just been opened may wait as long as one that stopped hearing.
    const mayWait = !this.#trouble && this.#heardAt === 0 && now < PATIENCE_MS;
    if (!isCurrent && !mayWait) this.told.onStale(this.#trouble || "No word from the service.");
    this.#isCurrent = isCurrent;
    this.#mend(now);
  }

  // A browser gives up on a server that answered with an error, or was cut off without a word; we do not.
  #mend(now) {
    const isDead = this.#source.readyState === EventSource.CLOSED;
    const isSilent = !this.#trouble && now - Math.max(this.#heardAt, this.openedAt) > RENEWAL_MS;
    if ((isDead && now - this.openedAt > 1000) || isSilent) this.#open();
  }
}

export const cents = (amount) => Math.round(Number(amount) * 100);

export const dollars = (whole) => {
  const text = String(whole).padStart(3, "0");
  return `$${text.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",")}.${text.slice(-2)}`;
};

export const money = (amount) => dollars(cents(amount));

// Prices that are whole dollars are easier to read without their cents.
export const price = (amount) => money(amount).replace(/\.00$/, "");

export const handName = (hand) => hand.replaceAll("-", " ").replace(/^./, (letter) => letter.toUpperCase());
