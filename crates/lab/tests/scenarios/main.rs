//! Whole scenarios, run and judged: what a link, a flow and a network must do, against closed forms, other simulators and the
//! verifier. They are one program, since each program more is linked anew.

mod accurate_ecn;
mod agents;
mod analytic;
mod associations;
mod bare_paths;
mod behaviour;
mod changing_paths;
mod composition;
mod determinism;
mod early_delivery;
mod every_discipline;
mod impaired_links;
mod layers;
mod linux_profile;
mod marks_and_delays;
mod messages;
mod observed;
mod overload;
mod peers;
mod quic_connections;
mod quinn;
mod radio_peers;
mod recovery_by_time;
mod reference;
mod sctp_peers;
mod sessions;
mod shapers;
mod shared_media;
mod tolerances;
mod traffic;
mod usrsctp;
mod usrsctp_two_paths;
mod utilisation;
mod varying_rates;
mod verified;
