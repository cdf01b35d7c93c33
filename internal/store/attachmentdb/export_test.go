package attachmentdb

// Statements are those whose plans a test reads.
var Statements = map[string]string{"list": listOfNotice, "file": readFile, "before": dropBefore, "any before": anyBefore, "sum": sumOfNotice}
