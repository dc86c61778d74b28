/** Whether a link leads to the server's own address: whoever opens it elsewhere reaches their own computer. */
export const isLocal = (url: string): boolean =>
  URL.canParse(url) && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
