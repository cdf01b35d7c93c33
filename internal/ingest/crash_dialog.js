// The crash dialog of Sentry SDKs: asks the user of a page what happened, and sends it to the address of this script.
(() => {
  const script = document.currentScript
  if (!script || document.getElementById("sett-crash-dialog")) return
  const address = new URL(script.src)
  const param = (name, otherwise) => address.searchParams.get(name) || otherwise

  const make = (tag, style, text) => {
    const element = document.createElement(tag)
    Object.assign(element.style, style)
    if (text) element.textContent = text
    return element
  }

  const dialog = make("dialog", {
    font: "16px/1.5 system-ui, sans-serif", color: "#222", background: "#fff", border: "1px solid #bbb", borderRadius: "8px",
    padding: "24px", width: "min(480px, calc(100vw - 32px))", boxSizing: "border-box",
  })
  dialog.id = "sett-crash-dialog"
  const form = make("form", { display: "grid", gap: "12px" })
  const heading = make("h2", { margin: "0", font: "600 20px/1.3 system-ui, sans-serif" }, param("title", "It looks like something went wrong."))
  heading.id = "sett-crash-dialog-title"
  dialog.setAttribute("aria-labelledby", heading.id)
  form.append(heading, make("p", { margin: "0" }, param("subtitle", "Tell us what happened, so that we can fix it.")))

  const field = (tag, name, label, value, required) => {
    const box = make("label", { display: "grid", gap: "4px" }, label)
    const input = make(tag, { font: "inherit", padding: "8px", border: "1px solid #888", borderRadius: "4px", boxSizing: "border-box", width: "100%" })
    input.name = name
    input.value = value
    input.required = required
    input.maxLength = tag === "textarea" ? 4000 : 200
    if (name === "email") input.type = "email"
    if (tag === "textarea") input.rows = 5
    box.append(input)
    form.append(box)
    return input
  }
  const name = field("input", "name", param("labelName", "Name"), param("name", ""), false)
  const email = field("input", "email", param("labelEmail", "Email"), param("email", ""), false)
  const comments = field("textarea", "comments", param("labelComments", "What happened?"), "", true)

  const note = make("p", { margin: "0" })
  note.setAttribute("role", "status")
  const row = make("p", { margin: "0", display: "flex", gap: "12px" })
  const button = (text, strong) => make("button", {
    font: "inherit", padding: "8px 16px", borderRadius: "4px", border: "1px solid #2a4d9b", cursor: "pointer",
    background: strong ? "#2a4d9b" : "#fff", color: strong ? "#fff" : "#2a4d9b",
  }, text)
  const submit = button(param("labelSubmit", "Send"), true)
  const close = button(param("labelClose", "Close"), false)
  close.type = "button"
  row.append(submit, close)
  form.append(note, row)
  dialog.append(form)

  const end = () => {
    dialog.remove()
    window.postMessage("__sentry_reportdialog_closed__", "*")
  }
  close.addEventListener("click", end)
  dialog.addEventListener("cancel", (event) => { event.preventDefault(); end() })
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    submit.disabled = true
    const body = new URLSearchParams({ name: name.value, email: email.value, comments: comments.value })
    fetch(address, { method: "POST", body, credentials: "omit" }).then((answer) => {
      if (!answer.ok) throw new Error(answer.status)
      form.replaceChildren(make("p", { margin: "0" }, param("successMessage", "Your feedback was sent. Thank you!")), close)
      close.focus()
    }).catch(() => {
      submit.disabled = false
      note.textContent = param("errorGeneric", "Your feedback could not be sent. Please try again.")
    })
  })

  document.body.append(dialog)
  dialog.showModal()
  comments.focus()
})()
