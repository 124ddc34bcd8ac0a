/** Nearer to the end than this, one is reading the end. */
const NEAR_PX = 96;
/** For how long after a touch what scrolls is meant. */
const WILL_MS = 1000;
const scrollKeys: ReadonlySet<string> = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', 'Tab']);

/** Keeps the end in sight while something is written there, until the reader goes elsewhere. */
export interface EndKeeper {
  readonly isAtEnd: boolean;
  /** Goes to the end, and stays there. */
  goToEnd(): void;
  /** On what grows. */
  readonly watch: (element: HTMLElement) => () => void;
}

/** Within an element that scrolls by itself, or in the page. */
export function createEndKeeper(findScroller: () => Element | null | undefined): EndKeeper {
  let isAtEnd = $state(true);
  const findTarget = () => findScroller() ?? document.scrollingElement ?? document.documentElement;

  function toEnd(): void {
    const target = findTarget();
    target.scrollTop = target.scrollHeight;
  }
  return {
    get isAtEnd() {
      return isAtEnd;
    },
    goToEnd() {
      isAtEnd = true;
      toEnd();
    },
    watch(element) {
      const target = findTarget();
      const isPage = target === document.scrollingElement;
      const source: EventTarget = isPage ? window : target;
      // What grows and shrinks scrolls, too: only what follows a hand on the wheel, the screen or a key is the reader's will.
      let touchedAt = Number.NEGATIVE_INFINITY;
      const touch = () => {
        touchedAt = performance.now();
      };
      const press = ({ key }: KeyboardEvent) => {
        if (scrollKeys.has(key)) touch();
      };
      const look = () => {
        const isNear = target.scrollHeight - target.scrollTop - target.clientHeight < NEAR_PX;
        if (isNear) isAtEnd = true;
        else if (performance.now() - touchedAt < WILL_MS) isAtEnd = false;
      };
      const observer = new ResizeObserver(() => {
        if (isAtEnd) toEnd();
      });
      observer.observe(element);
      const listening = new AbortController();
      const options = { passive: true, signal: listening.signal };
      source.addEventListener('scroll', look, options);
      for (const type of ['wheel', 'touchmove', 'pointerdown']) window.addEventListener(type, touch, options);
      window.addEventListener('keydown', press, options);
      return () => {
        observer.disconnect();
        listening.abort();
      };
    },
  };
}
