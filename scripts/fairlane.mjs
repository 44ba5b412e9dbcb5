// Entry of the commands that package.json names: `npm run demo`, `npm start`, `npm test` and the others.
//
// Node built-ins only, since nothing is installed yet when it starts. This first file also has to be
// readable by Node versions that are too old for the rest, so that they get a message and no syntax error.
import { problemWithNode } from './bootstrap/node-version.mjs';

const problem = problemWithNode(process.versions.node);
if (problem === undefined) {
  void import('./bootstrap/main.mjs').then((bootstrap) => bootstrap.main(process.argv.slice(2)));
} else {
  process.stderr.write('fairlane: ' + problem + '\n');
  process.exitCode = 1;
}
