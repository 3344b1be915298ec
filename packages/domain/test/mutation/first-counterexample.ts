import fc from 'fast-check';

// Any counterexample detects a mutant, and shrinking it would take most of the time.
fc.configureGlobal({ endOnFailure: true });
