import { spawn } from 'node:child_process';
import { endingWithParent } from '@orders/child-processes';

/** Starts the given program, prints its process id, and waits for its end. */
const [program = '', ...args] = process.argv.slice(2);
const child = spawn(...endingWithParent(program, args), { stdio: ['pipe', 'ignore', 'ignore'] });
process.stdout.write(`${child.pid}\n`);
