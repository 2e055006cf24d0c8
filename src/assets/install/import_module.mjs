// Imports the module that the first argument names; ends with 70 where that fails.
import(process.argv[1]).then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(70);
  },
);
