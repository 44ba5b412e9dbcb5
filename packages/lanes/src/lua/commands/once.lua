local reply = run()
finish()
return reply
