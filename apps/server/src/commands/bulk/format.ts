import { Option } from 'commander';

/** The form of a file of orders. */
export const FORMAT = new Option('--format <format>', 'the form of the file')
  .choices(['ndjson', 'csv'])
  .default('ndjson');
