// Package browser is Chromium for stories. In come addresses and what a person does there; out comes what the page says, what it asked of
// servers, and what went wrong in it. It also asks axe whether people with disabilities can use the page.
package browser
