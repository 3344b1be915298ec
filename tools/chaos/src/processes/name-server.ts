// Loaded before a program by `node --import`, with the address of a name server as its query: the program, and its threads,
// look names up there alone.
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

const servers = [new URL(import.meta.url).search.slice(1)];

class Resolver extends dns.Resolver {
  constructor(options?: ConstructorParameters<typeof dns.Resolver>[0]) {
    super(options);
    this.setServers(servers);
  }
}

Object.assign(dns, { Resolver });
syncBuiltinESMExports();
