// Package e2e proves sett with the clients that people use: in come the released clients for Go and for JavaScript on
// Node and in Chromium, and curl, none of them modified; out comes what each of them reported, compared field by field
// with what a sett process of its own shows through /v2. These and the clients for Python and Java are also set up and run as
// the manual says. The management interface is used up and down by its released Go client, and by one that a public
// generator writes from sett's own document. The pages are walked through in Chromium as people do it, with scripts and
// without. It also kills sett over and over under load, leaves it no room to write, and accounts for every notice; agents
// are killed and cut off, and every check that they made is accounted for. It is a module of its own so that its
// dependencies never become the product's. Nothing of it leaves the machine, and nothing is skipped but Java where there is
// none: what is missing is named, and how to install it.
package e2e
