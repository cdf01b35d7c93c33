# Runs expressions, and prints what Sentry's client for Elixir makes of what was raised: fields between tabs. usage: capture.exs < EXPRESSIONS
Logger.configure(level: :none)
for line <- IO.stream(:stdio, :line) do
  try do
    Code.eval_string("import Kiosk.Cart\nalias Kiosk.{Cart, Stock}\n" <> line)
    IO.puts("none")
  catch
    kind, reason ->
      error = Exception.normalize(kind, reason, __STACKTRACE__)
      {class, message} = if kind == :error, do: {inspect(error.__struct__), Exception.message(error)}, else: {to_string(kind), Exception.format_banner(kind, reason, __STACKTRACE__)}
      frames =
        for {m, f, a, at} <- __STACKTRACE__ do
          arity = if is_list(a), do: length(a), else: a
          Enum.join([inspect(m), Exception.format_mfa(m, f, arity), at[:file] || "", at[:line] || 0, Application.get_application(m) || ""], "\x1f")
        end
      IO.puts(Enum.join([class, message, Enum.join(frames, "\x1e"), Exception.format(kind, reason, __STACKTRACE__)] |> Enum.map(&String.replace(&1, "\n", "\\n")), "\t"))
  end
end
