/** Nearer to the end than this, one is reading the end. */
const NEAR_PX = 96;

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
      const look = () => {
        isAtEnd = target.scrollHeight - target.scrollTop - target.clientHeight < NEAR_PX;
      };
      const observer = new ResizeObserver(() => {
        if (isAtEnd) toEnd();
      });
      observer.observe(element);
      source.addEventListener('scroll', look, { passive: true });
      return () => {
        observer.disconnect();
        source.removeEventListener('scroll', look);
      };
    },
  };
}
