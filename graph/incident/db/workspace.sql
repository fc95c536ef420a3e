-- Tenants, members, settings and switch attempts of the shipped incident. All times are UTC; every name is invented.
CREATE TABLE tenants (tenant_id VARCHAR(32) NOT NULL PRIMARY KEY, name VARCHAR(100) NOT NULL, plan VARCHAR(20) NOT NULL, region VARCHAR(20) NOT NULL);
CREATE TABLE members (user_id VARCHAR(16) NOT NULL, tenant_id VARCHAR(32) NOT NULL, role VARCHAR(20) NOT NULL, joined_at DATETIME NOT NULL, PRIMARY KEY (user_id, tenant_id));
CREATE TABLE tenant_settings (tenant_id VARCHAR(32) NOT NULL, setting_key VARCHAR(64) NOT NULL, setting_value VARCHAR(64) NOT NULL, updated_at DATETIME NOT NULL, PRIMARY KEY (tenant_id, setting_key));
CREATE TABLE tenant_setting_audit (id INT NOT NULL PRIMARY KEY, tenant_id VARCHAR(32) NOT NULL, setting_key VARCHAR(64) NOT NULL, old_value VARCHAR(64), new_value VARCHAR(64) NOT NULL, changed_at DATETIME NOT NULL, changed_by VARCHAR(64) NOT NULL, note VARCHAR(255));
CREATE TABLE switch_attempts (attempt_id BIGINT NOT NULL PRIMARY KEY, tenant_id VARCHAR(32) NOT NULL, user_id VARCHAR(16) NOT NULL, status VARCHAR(20) NOT NULL, error_code VARCHAR(64), created_at DATETIME NOT NULL);
CREATE TABLE seat_licences (licence_id BIGINT NOT NULL PRIMARY KEY, tenant_id VARCHAR(32) NOT NULL, product VARCHAR(40) NOT NULL, seats INT NOT NULL, valid_from DATETIME NOT NULL, valid_until DATETIME NOT NULL);
CREATE TABLE deployments (id INT NOT NULL PRIMARY KEY, service VARCHAR(64) NOT NULL, version VARCHAR(20) NOT NULL, deployed_at DATETIME NOT NULL, deployed_by VARCHAR(64) NOT NULL);
INSERT INTO tenants (tenant_id, name, plan, region) VALUES
  ('ent_hailan', '海蓝物流 Hailan Logistics', 'pro', 'cn-east-1'),
  ('ent_qingmu', '青木设计 Qingmu Design', 'basic', 'cn-north-1'),
  ('ent_beacon', 'Beacon Travel', 'pro', 'eu-west-1'),
  ('ent_orchid', 'Orchid Clinics', 'enterprise', 'eu-west-1'),
  ('ent_summit', '峰会教育 Summit Learning', 'pro', 'cn-east-1');
INSERT INTO members (user_id, tenant_id, role, joined_at) VALUES
  ('u_20417', 'ent_hailan', 'dispatcher', '2025-06-02 01:10:00'),
  ('u_20417', 'ent_qingmu', 'guest', '2025-11-18 07:42:00'),
  ('u_21188', 'ent_hailan', 'admin', '2024-12-09 03:00:00'),
  ('u_30551', 'ent_beacon', 'admin', '2025-01-20 09:15:00'),
  ('u_31902', 'ent_orchid', 'nurse', '2025-08-27 12:31:00');
INSERT INTO tenant_settings (tenant_id, setting_key, setting_value, updated_at) VALUES
  ('ent_hailan', 'directory_mapping', 'directory_mapping_v2', '2026-03-12 02:03:40'),
  ('ent_qingmu', 'directory_mapping', 'directory_mapping_v1', '2025-09-01 08:00:00'),
  ('ent_beacon', 'directory_mapping', 'directory_mapping_v1', '2025-09-01 08:00:00'),
  ('ent_orchid', 'directory_mapping', 'directory_mapping_v1', '2025-09-01 08:00:00'),
  ('ent_summit', 'directory_mapping', 'directory_mapping_v1', '2025-09-01 08:00:00'),
  ('ent_hailan', 'export_format', 'xlsx', '2025-12-15 06:20:00');
INSERT INTO tenant_setting_audit (id, tenant_id, setting_key, old_value, new_value, changed_at, changed_by, note) VALUES
  (41, 'ent_hailan', 'directory_mapping', NULL, 'directory_mapping_v1', '2025-09-01 08:00:00', 'lin.yue', '初始值'),
  (57, 'ent_hailan', 'export_format', 'csv', 'xlsx', '2025-12-15 06:20:00', 'zhao.min', '客户要求'),
  (63, 'ent_beacon', 'export_format', 'csv', 'pdf', '2026-03-11 16:02:00', 'amy.t', 'requested by the customer'),
  (64, 'ent_hailan', 'directory_mapping', 'directory_mapping_v1', 'directory_mapping_v2', '2026-03-12 02:03:40', 'rollout-bot', '灰度首批；成员映射尚未迁移 (member rows not migrated yet)');
INSERT INTO switch_attempts (attempt_id, tenant_id, user_id, status, error_code, created_at) VALUES
  (880101, 'ent_hailan', 'u_20417', 'OK', NULL, '2026-03-12 01:51:07'),
  (880102, 'ent_qingmu', 'u_20417', 'OK', NULL, '2026-03-12 01:58:40'),
  (880103, 'ent_beacon', 'u_30551', 'OK', NULL, '2026-03-12 02:01:12'),
  (880104, 'ent_hailan', 'u_20417', 'FAILED', 'ENT_SWITCH_MEMBERSHIP_UNRESOLVED', '2026-03-12 02:05:12'),
  (880105, 'ent_hailan', 'u_20417', 'FAILED', 'ENT_SWITCH_MEMBERSHIP_UNRESOLVED', '2026-03-12 02:05:43'),
  (880106, 'ent_hailan', 'u_21188', 'FAILED', 'ENT_SWITCH_MEMBERSHIP_UNRESOLVED', '2026-03-12 02:07:25'),
  (880107, 'ent_orchid', 'u_31902', 'OK', NULL, '2026-03-12 02:08:02'),
  (880108, 'ent_hailan', 'u_20417', 'FAILED', 'ENT_SWITCH_MEMBERSHIP_UNRESOLVED', '2026-03-12 02:08:22'),
  (880109, 'ent_beacon', 'u_30551', 'OK', NULL, '2026-03-12 02:11:55'),
  (880110, 'ent_orchid', 'u_31902', 'FAILED', 'ENT_SWITCH_SEATS_EXPIRED', '2026-03-14 08:30:16'),
  (880111, 'ent_orchid', 'u_31902', 'FAILED', 'ENT_SWITCH_SEATS_EXPIRED', '2026-03-14 08:31:40');
INSERT INTO seat_licences (licence_id, tenant_id, product, seats, valid_from, valid_until) VALUES
  (7001, 'ent_hailan', 'workspace', 320, '2025-06-01 00:00:00', '2026-12-31 23:59:59'),
  (7002, 'ent_orchid', 'workspace', 85, '2025-03-13 00:00:00', '2026-03-13 23:59:59'),
  (7003, 'ent_beacon', 'workspace', 40, '2025-01-01 00:00:00', '2026-12-31 23:59:59');
INSERT INTO deployments (id, service, version, deployed_at, deployed_by) VALUES
  (511, 'org-switch-service', '3.2.0', '2026-03-12 00:40:00', 'ci'),
  (512, 'notice-service', '1.14.2', '2026-03-12 01:30:00', 'ci'),
  (513, 'report-worker', '2.0.7', '2026-03-11 11:05:00', 'ci');
