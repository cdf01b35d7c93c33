// Requests to authenticators, which forms cannot make: a passkey is created or used when the form is submitted, and sent with it as
// text.
"use strict";

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const status = form.querySelector("[role=status]");
  const fail = (text) => { status.textContent = text; };
  const known = window.PublicKeyCredential && PublicKeyCredential.parseCreationOptionsFromJSON && PublicKeyCredential.parseRequestOptionsFromJSON;
  if (!known) {
    fail("This browser does not support passkeys. Use a newer browser.");
    continue;
  }
  const button = form.querySelector("button");
  button.disabled = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    fail("");
    try {
      const answer = await fetch(form.dataset.options, {
        method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams(new FormData(form)),
      });
      const options = await answer.json();
      if (!answer.ok) {
        fail(options.errors);
        return;
      }
      if (form.elements.code) {
        form.elements.code.value = ""; // it is used up, whatever the device says
      }
      const made = form.dataset.passkey === "create"
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
      form.elements.answer.value = JSON.stringify(made);
      form.submit();
    } catch (error) {
      fail(error.name === "InvalidStateError"
        ? "This device already has one of your passkeys."
        : error.name === "NotAllowedError" ? "Not completed: the request was canceled or timed out, or this device has no passkey for this site." : "The request failed. Reload the page.");
    } finally {
      button.disabled = false;
    }
  });
}
