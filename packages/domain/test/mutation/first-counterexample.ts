import fc from 'fast-check';

// Any counterexample notices a mutant: looking for the smallest would take most of the time.
fc.configureGlobal({ endOnFailure: true });
