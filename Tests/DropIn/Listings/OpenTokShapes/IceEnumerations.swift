// Both enumerations of the ICE configuration are global.
import OpenTok

enum Relays {
  static func config(_ servers: OTSessionICEIncludeServers, _ policy: OTSessionICETransportPolicy)
    -> OTSessionICEConfig
  {
    let config = OTSessionICEConfig()
    (config.includeServers, config.transportPolicy) = (servers, policy)
    return config
  }
}
