import BBMSupport

MainActor.assumeIsolated {
  ExampleApp.run("QuickStart") { options in AppDelegate(options) }
}
