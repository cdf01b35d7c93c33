// Package e2e tests the built program with the clients that people use. The released clients for Go, for JavaScript on Node and in Chromium,
// and curl report errors, unmodified; the tests compare every field with what a server of their own shows through /v2. These and the clients
// for Python and Java are also set up and run as the manual says. Its released Go client, and one that a public generator writes from sett's
// own document, use the whole API. Chromium walks through the pages as people do, with scripts and without. Servers and agents are killed
// under load and cut off, and have no room to write; every notice and every check is accounted for. It is a module of its own so that its
// dependencies never become the product's. All traffic stays on the machine. A missing tool fails a test, which says how to install it; only
// tests in Java are skipped without it.
package e2e
