/** Whether a URL leads to this machine: to `localhost`, 127.0.0.0/8 or `::1`. */
export function isThisMachine({ hostname }: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
