// Live pages. Over HTTP/1.1 a browser has six connections to the gateway, all of which open pages could take: at most
// four visible pages and one hidden page listen, and tell the others what they hear.
"use strict";

{
  const TOLD = ["messages", "conversations", "devices"];
  const HEARD = [...TOLD, "look", "reload"];
  const PLACES = { visible: ["live 1", "live 2", "live 3", "live 4"], hidden: ["live hidden"] };
  const LEFT_AFTER = 3000; // ms hidden, after which a page gives up its place: its reader may be back at once
  const others = new BroadcastChannel("live");

  /** What htmx takes for an `EventSource`. */
  class Listener extends EventTarget {
    #address;
    #organization;
    #source = null;
    #place = new AbortController();
    #isClosed = false;

    constructor(address) {
      super();
      this.#address = address;
      this.#organization = address.split("?")[0];
      others.addEventListener("message", this.#hear);
      document.addEventListener("visibilitychange", this.#move);
      this.#listen();
    }

    get readyState() {
      if (this.#isClosed) return EventSource.CLOSED;
      return this.#source?.readyState ?? EventSource.CONNECTING;
    }

    close() {
      this.#isClosed = true;
      others.removeEventListener("message", this.#hear);
      document.removeEventListener("visibilitychange", this.#move);
      this.#place.abort();
    }

    #hear = ({ data: { organization, name, data } }) => {
      if (!this.#source && organization === this.#organization) this.#tell(name, data);
    };

    #move = () => setTimeout(() => this.#isClosed || this.#listen(), document.hidden ? LEFT_AFTER : 0);

    #listen() {
      const kind = document.visibilityState;
      if (this.#source && this.#place.kind === kind) return;
      this.#place.abort();
      this.#place = Object.assign(new AbortController(), { kind });
      holdPlace(kind, this.#place.signal, (left) => this.#open(left));
    }

    #open(left) {
      const source = new EventSource(this.#address, { withCredentials: true });
      this.#source = source;
      source.onopen = (event) => this.onopen?.(event);
      source.onerror = (event) => {
        this.onerror?.(event);
        if (source.readyState === EventSource.CLOSED) this.close(); // htmx makes another one
      };
      for (const name of HEARD) {
        source.addEventListener(name, ({ data }) => {
          this.#tell(name, data);
          if (name === "look") sayLive();
          if (TOLD.includes(name)) others.postMessage({ organization: this.#organization, name, data });
        });
      }
      left.addEventListener("abort", () => {
        source.close();
        this.#source = null;
      });
    }

    #tell(name, data) {
      this.dispatchEvent(new MessageEvent(name, { data }));
    }
  }

  const sayLive = () => document.dispatchEvent(new Event("live"));

  /** Do it as soon as a place is free, and keep the place until it is left. */
  async function holdPlace(kind, left, work) {
    if (!navigator.locks) { // exists only over https and on the same machine
      if (kind === "visible") work(left);
      return;
    }
    const hold = (lock) => {
      if (!lock || left.aborted) return false;
      work(left);
      return new Promise((leave) => left.addEventListener("abort", () => leave(true)));
    };
    for (const place of PLACES[kind]) {
      if (left.aborted || await navigator.locks.request(place, { ifAvailable: true }, hold)) return;
    }
    sayLive(); // by what the others tell
    const place = PLACES[kind][Math.floor(Math.random() * PLACES[kind].length)];
    await navigator.locks.request(place, { signal: left }, hold).catch(() => {}); // it was left before
  }

  htmx.createEventSource = (address) => new Listener(address);
}
