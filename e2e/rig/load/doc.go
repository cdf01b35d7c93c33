// Package load reports to servers that are killed, cut off or full, and proves afterwards what became of it. In come servers and how long to
// report; out come the notices that were accepted, and every problem: what was accepted must be stored once, and every count must agree.
// It does the same for alerts and for updates of status pages. It never ends a server.
package load
