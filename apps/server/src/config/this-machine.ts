/** Whether a URL leads to this machine: to `localhost`, 127.0.0.0/8 or `::1`. */
export function isThisMachine({ hostname }: Pick<URL, 'hostname'>): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
