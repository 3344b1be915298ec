import { DefaultReporter } from 'vitest/node';

/** Prints a line for each project, and of its tests those that failed. A single file is printed as Vitest does. */
export class ProjectReporter extends DefaultReporter {
  printTestModule(module) {
    if (this.renderSucceed || module.state() === 'failed') super.printTestModule(module);
  }

  onTestRunEnd(modules, ...others) {
    const projects = Object.groupBy(modules, ({ project }) => project.name);
    for (const [name, own] of Object.entries(projects).toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      const tests = own.flatMap(({ children }) => [...children.allTests()]);
      const failed = tests.filter((test) => test.result().state === 'failed').length;
      const seconds = own.reduce((sum, module) => sum + module.diagnostic().duration, 0) / 1000;
      const outcome = failed === 0 ? 'passed' : `${failed} failed`;
      this.log(` ${name.padEnd(14)} ${tests.length} tests in ${own.length} files, ${outcome}, ${seconds.toFixed(1)} s`);
    }
    super.onTestRunEnd(modules, ...others);
  }
}
