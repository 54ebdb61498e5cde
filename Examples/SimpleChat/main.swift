import BBMSupport

MainActor.assumeIsolated {
  ExampleApp.run("SimpleChat", commands: ChatVisitor.usage) { options in AppDelegate(options) }
}
