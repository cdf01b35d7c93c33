package attachment

// Statements are those whose plans a test reads. In a file of tests, the store would be compiled
// once more for the tests of this package.
var Statements = map[string]string{"list": listOfNotice, "file": readFile, "before": dropBefore, "any before": anyBefore, "sum": sumOfNotice}
