// Package e2e is a module of stories: tests that use the built program as people, clients and operators do. Each folder is one kind of story, and
// all use the same rig: flow is people in a browser, clients are the clients that report, kill and chaos account for
// every notice while processes die and machines fail, and deploy is how operators start sett. peers measures another product.
// It is a module of its own so that its dependencies never become the product's. Nothing of it leaves the machine, and nothing
// is skipped but Java where there is none: what is missing is named, and how to install it.
package e2e
