type Tell = (isNear: boolean, height: number) => void;

/** One observer for all: each has a cost. */
let observer: IntersectionObserver | undefined;
const listeners = new WeakMap<Element, Tell>();

/** Tells when an element comes near the visible part of the page, and when it leaves; returns how to stop. */
export function watchNearness(element: Element, tell: Tell): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting, boundingClientRect } of entries) {
        listeners.get(target)?.(isIntersecting, boundingClientRect.height);
      }
    },
    { rootMargin: '1000px 0px' },
  );
  const current = observer;
  listeners.set(element, tell);
  current.observe(element);
  return () => {
    current.unobserve(element);
    listeners.delete(element);
  };
}
