import BBMSupport

MainActor.assumeIsolated {
  ExampleApp.run("SoftPhone", commands: PhoneVisitor.usage) { options in AppDelegate(options) }
}
