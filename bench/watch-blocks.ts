/** Watches the event loop; `stop` gives the longest time that other work had to wait, ms. */
export function watchBlocks(): { stop(): number } {
  let [longest, last, watching] = [0, performance.now(), true];
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (watching) setImmediate(look);
  };
  setImmediate(look);
  return {
    stop: () => {
      watching = false;
      return longest;
    },
  };
}
