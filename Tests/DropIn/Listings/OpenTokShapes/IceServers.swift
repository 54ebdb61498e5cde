// Servers are untyped objects, the limit is one of the class, and an error is an NSError.
import OpenTok

/// Protocols of an app take these types and no others.
protocol ServerList: AnyObject {
  var customIceServers: [Any]? { get }
  static func maxTURNServersLimit() -> Int
  func addICEServer(
    withURL url: String, userName: String, credential: String, error: AutoreleasingUnsafeMutablePointer<NSError>?)
}

extension OTSessionICEConfig: ServerList {}

enum OwnServers {
  static func add(to config: OTSessionICEConfig) -> (count: Int, error: NSError) {
    var error = NSError(domain: "", code: 0)
    let most: Int = OTSessionICEConfig.maxTURNServersLimit()
    for _ in 0...most {
      config.addICEServer(withURL: "turn:127.0.0.1:9", userName: "ann", credential: "secret", error: &error)
    }
    let servers: [Any]? = config.customIceServers
    return (servers?.count ?? 0, error)
  }
}
