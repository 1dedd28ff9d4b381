/// <reference lib="dom" />
/** A list that draws only the rows that can be seen. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Draws `count` rows of the same height, in pixels. */
export function VirtualList(
  { count, height, row, label, at }: {
    count: number;
    height: number;
    row: (at: number) => ComponentChildren;
    label: string;
    at?: number;
  },
) {
  const box = useRef<HTMLDivElement>(null);
  const [[top, seen], setView] = useState([0, 1000]);
  useLayoutEffect(() => {
    const element = box.current!;
    const look = () => setView([element.scrollTop, element.clientHeight]);
    const observer = new ResizeObserver(look);
    observer.observe(element);
    look();
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = box.current!;
    if (at === undefined || at < 0) return;
    if (at * height < element.scrollTop) element.scrollTop = at * height;
    else if ((at + 1) * height > element.scrollTop + element.clientHeight) {
      element.scrollTop = (at + 1) * height - element.clientHeight;
    }
  }, [at]);
  const from = Math.max(0, Math.floor(top / height) - 6);
  const to = Math.min(count, Math.ceil((top + seen) / height) + 6);
  const drawn = [];
  for (let index = from; index < to; index++) {
    drawn.push(
      <div
        key={index}
        class="virtual-row"
        role="listitem"
        aria-setsize={count}
        aria-posinset={index + 1}
        style={{ top: `${index * height}px`, height: `${height}px` }}
      >
        {row(index)}
      </div>,
    );
  }
  return (
    <div
      class="virtual"
      ref={box}
      role="group"
      aria-label={label}
      tabIndex={0}
      onScroll={(event) =>
        setView([event.currentTarget.scrollTop, event.currentTarget.clientHeight])}
    >
      <div role="list" class="virtual-space" style={{ height: `${count * height}px` }}>{drawn}</div>
    </div>
  );
}
