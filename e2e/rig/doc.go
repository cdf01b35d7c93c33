// Package rig is what the stories of e2e share. It builds sett once for all folders of stories, starts servers and agents as operators
// do, and reads what they show through /v2. It also has what stands around them: gates on the way of agents, targets of checks, small
// disks, wrong clocks and variants of the program. Package load has clients whose reports a story accounts for, and package browser has
// Chromium. The rig fails a test that it cannot serve; it never judges what a story is about.
package rig
