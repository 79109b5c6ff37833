//! Tests of whole scenarios: what links, flows and networks must do, compared with closed forms, other
//! simulators and the verifier. They are one program, because each further program would be linked
//! separately.

mod accurate_ecn;
mod agents;
mod analytic;
mod associations;
mod bare_paths;
mod behaviour;
mod changing_paths;
mod composition;
mod congestion_events;
mod determinism;
mod early_delivery;
mod equal_ways;
mod every_discipline;
mod fixed_losses;
#[cfg(feature = "stacks")]
mod foreign_stacks;
mod given_up;
mod impaired_links;
mod layers;
mod linux_kernel;
mod linux_profile;
mod many_flows_peers;
mod marks_and_delays;
mod messages;
mod middleboxes;
mod misbehaving_receivers;
mod observed;
mod overload;
#[cfg(feature = "stacks")]
mod own_controller;
mod peers;
mod prague;
mod quic_connections;
mod quinn;
mod radio_peers;
mod recovery_by_time;
mod reference;
mod schedulers;
mod sctp_peers;
mod sessions;
mod shapers;
mod shared_media;
mod slow_readers;
mod tables;
mod tolerances;
mod toy_transport;
mod traffic;
mod usrsctp;
mod usrsctp_two_paths;
mod utilisation;
mod varying_rates;
mod verified;
mod window_laws;
mod written;
